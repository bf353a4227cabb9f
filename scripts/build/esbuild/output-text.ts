import type { OutputFile } from 'esbuild'

/** Returns the text of the output file whose path has this end; an empty text if there is none. */
export function outputText(files: readonly OutputFile[] = [], end: string): string {
  return files.find(({ path }) => path.endsWith(end))?.text ?? ''
}
