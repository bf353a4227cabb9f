/**
 * Formats the end of a run's output: the failures with their details, then each of them in one line, and last the
 * numbers of assertions. So the end of a long log names each failed file.
 *
 * @param failures The first line of each names the file and the assertion.
 */
export function formatSummary(passed: number, failures: readonly string[]): string {
  const details = failures.filter((failure) => failure.includes('\n')).map((failure) => `\nnot ok: ${failure}`)
  const titles = failures.map((failure) => `not ok: ${failure.split('\n', 1)[0]}`)
  return [...details, '', ...titles, `${passed} passed, ${failures.length} failed`].join('\n')
}
