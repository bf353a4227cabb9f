/** Returns a word as a POSIX shell reads it: in quotes if it has characters with a meaning for the shell. */
export function quoteWord(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
