/**
 * Returns a word as the shell reads it: in quotes if it has characters with a meaning for the shell. On Windows the
 * result is for both of its shells, which read only double quotes in the same way.
 */
export function quoteWord(word: string): string {
  if (process.platform === 'win32') return /^[\w./:\\@+=-]+$/.test(word) ? word : `"${word}"`
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Returns the argument that selects the site in `dir`, with a space before it; empty for the working directory. */
export function folderWord(dir: string): string {
  return dir === '.' ? '' : ` ${quoteWord(dir)}`
}
