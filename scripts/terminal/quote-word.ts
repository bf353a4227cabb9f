/** Returns a word as a POSIX shell reads it: in quotes if it has characters with a meaning for the shell. */
export function quoteWord(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Returns the argument that selects the site in `dir`, with a space before it; empty for the working directory. */
export function folderWord(dir: string): string {
  return dir === '.' ? '' : ` ${quoteWord(dir)}`
}
