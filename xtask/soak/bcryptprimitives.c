/* wine 8 lacks this library, and Rust's standard library asks it for random
   numbers. Put beside a program, this answers from the system's own source. */
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG size);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }
