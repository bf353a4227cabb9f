import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import type { OutputFile } from 'esbuild'
import { outputsByName } from '../../../build/esbuild/output-files.ts'
import { markThrown } from '../../../build/output/mark-thrown.ts'
import { isOfSiteOrPackage } from '../../../build/output/site-sources.ts'

/** Returns the files of a bundle by their names, the scripts as texts. The values that packages throw are marked. */
export function markFiles(files: readonly OutputFile[], folder: string): Map<string, string | Uint8Array> {
  const found = outputsByName(files)
  const marked = new Map<string, string | Uint8Array>([...found].map(([name, { contents }]) => [name, contents]))
  for (const [name, { text }] of found) {
    if (!name.endsWith('.js')) continue
    // esbuild wrote the map, so its form is known.
    const map = JSON.parse(found.get(`${name}.map`)?.text ?? 'null') as EncodedSourceMap | null
    const script = markThrown({ code: text, map }, (source) => isOfSiteOrPackage(source, folder))
    marked.set(name, script.code)
    if (script.map !== map) marked.set(`${name}.map`, JSON.stringify(script.map))
  }
  return marked
}
