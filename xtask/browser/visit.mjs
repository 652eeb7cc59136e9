export async function visit() { return []; }
