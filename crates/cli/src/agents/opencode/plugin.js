// Stands in for the plugin that calls Boathook.
const BOATHOOK = "__BOATHOOK__";

export const Boathook = async () => ({ boathook: BOATHOOK });
