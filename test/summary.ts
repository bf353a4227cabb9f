/**
 * Formats the end of a run's output: the failures with their details, then each of them in one line, and last the
 * numbers of assertions. So the end of a long log names each failed file.
 *
 * @param failures The first line of each names the file and the assertion.
 * @param again The files that passed only at the second try.
 */
export function formatSummary(passed: number, failures: readonly string[], again: readonly string[]): string {
  const details = failures.map((failure) => `\nnot ok: ${failure}`)
  const titles = failures.map((failure) => `not ok: ${failure.split('\n', 1)[0]}`)
  const tries = again.map(
    (file) => `second try: ${file} failed beside other files, and passed alone; its output is above`,
  )
  return [...details, '', ...tries, ...titles, `${passed} passed, ${failures.length} failed`].join('\n')
}
