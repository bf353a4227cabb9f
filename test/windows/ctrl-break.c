// Presses Ctrl+Break for a process, as a console does for each process in it: ctrl-break.exe ID
#include <stdlib.h>
#include <windows.h>

int main(int count, char **words) {
  HANDLE process = OpenProcess(PROCESS_ALL_ACCESS, FALSE, strtoul(words[count - 1], NULL, 10));
  FARPROC routine = GetProcAddress(GetModuleHandleA("kernelbase.dll"), "CtrlRoutine");
  if (!process || !routine) return 1;
  return !CreateRemoteThread(process, NULL, 0, (LPTHREAD_START_ROUTINE)routine, (void *)CTRL_BREAK_EVENT, 0, NULL);
}
