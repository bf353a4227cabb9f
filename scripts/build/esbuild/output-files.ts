import { posix } from 'node:path'
import type { OutputFile } from 'esbuild'

/** Returns the text of the output file whose path has this end; an empty text if there is none. */
export function outputText(files: readonly OutputFile[] = [], end: string): string {
  return files.find(({ path }) => path.endsWith(end))?.text ?? ''
}

/** Returns output files by their names, without folders. */
export function outputsByName(files: readonly OutputFile[]): Map<string, OutputFile> {
  return new Map(files.map((file) => [posix.basename(file.path.replaceAll('\\', '/')), file]))
}
