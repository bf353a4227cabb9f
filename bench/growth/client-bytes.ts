import { gzipSync } from 'node:zlib'
import { askPage } from '../http.ts'

const GZIP = { level: 9 }
/** A static import in code that a bundler has written. */
const IMPORTS = /\b(?:import|export)\b[^"'();]*?["']((?:\.{1,2})?\/[^"']+\.m?js)["']/g

/** Returns the compressed size of the scripts that a document names and of the modules that they import. */
export async function sizeOfScripts(url: string, html: string): Promise<number> {
  const tags = [...html.matchAll(/<(?:script|link)\b[^>]*>/gi)].map(([tag]) => tag)
  const queue = tags.flatMap((tag) => /\b(?:src|href)="([^"]+\.m?js)"/i.exec(tag)?.[1] ?? [])
  const seen = new Set<string>()
  let bytes = 0
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const script = new URL(path, url).href
    if (seen.has(script)) continue
    seen.add(script)
    const { body } = await askPage(script)
    bytes += gzipSync(body, GZIP).length
    for (const [, imported = ''] of body.toString().matchAll(IMPORTS)) queue.push(new URL(imported, script).href)
  }
  return bytes
}
