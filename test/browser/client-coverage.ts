// Records which code of src/client and src/shared ran in a browser, in the format in which Node writes coverage, so
// c8 counts it together with the code that ran in Node.
//
// V8 measures the bundles. c8 could map them back itself, but it treats every line as covered that V8 does not report
// as uncovered, including code that is not in the bundle at all. Therefore each line of the source is looked up here,
// and the result describes the source files themselves.

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type EncodedSourceMap, eachMapping, TraceMap } from '@jridgewell/trace-mapping'
import type { Page } from 'playwright-core'

export interface ClientCoverage {
  /** Starts measuring, if that is asked for. */
  start(page: Page): Promise<PageCoverage | undefined>
  /** Writes the file. */
  write(): Promise<void>
}

interface PageCoverage {
  /** Collects what has run. Call it before each navigation, because a page's scripts are lost with it. */
  take(): Promise<void>
  /** Collects the rest. */
  end(): Promise<void>
}

const BUILD = 'site/.hydrant'
const ASSET = /\/_hydrant\/assets\/([\w.-]+\.js)$/

interface ScriptCoverage {
  url: string
  functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[]
}

/** Measures nothing unless NODE_V8_COVERAGE names the output folder. */
export function createClientCoverage(folder = process.env.NODE_V8_COVERAGE): ClientCoverage {
  if (!folder) return { start: async () => undefined, write: async () => {} }
  const sources = new Map<string, SourceFile>()
  const bundles = new Map<string, Bundle | null>()

  function add({ url, functions }: ScriptCoverage) {
    const name = ASSET.exec(url)?.[1]
    if (name === undefined) return
    const known = bundles.get(name)
    const bundle = known === undefined ? readBundle(name, sources) : known
    bundles.set(name, bundle)
    if (bundle) countLines(bundle, functions)
  }

  return {
    async start(page) {
      const session = await page.context().newCDPSession(page)
      await session.send('Profiler.enable')
      await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
      const take = async () => {
        const { result } = await session.send('Profiler.takePreciseCoverage')
        for (const script of result) add(script)
      }
      return {
        take,
        async end() {
          // What has run in a page since its last navigation is lost when a test closes it.
          if (page.isClosed()) return
          await take()
          await session.detach()
        },
      }
    },
    async write() {
      const result = [...sources.values()].map(toScriptCoverage)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `coverage-browser-${randomUUID()}.json`), JSON.stringify({ result, timestamp: 0 }))
    },
  }
}

interface SourceFile {
  path: string
  text: string
  /** For each line: whether it is in a bundle, and whether it ran. */
  lines: { isBundled: boolean; hasRun: boolean }[]
}

interface Bundle {
  /** Positions that the map leads back to this repository's source, by their offset in the bundle. */
  places: { offset: number; source: SourceFile; line: number }[]
}

function readBundle(name: string, sources: Map<string, SourceFile>): Bundle | null {
  const file = join(BUILD, 'client', name)
  const mapFile = join(BUILD, 'maps', `${name}.map`)
  if (!existsSync(mapFile)) return null
  const lineStarts = startsOfLines(readFileSync(file, 'utf8'))
  const places: Bundle['places'] = []
  // The cast is safe because esbuild wrote the map.
  const map = new TraceMap(JSON.parse(readFileSync(mapFile, 'utf8')) as EncodedSourceMap)
  eachMapping(map, ({ generatedLine, generatedColumn, source: url, originalLine }) => {
    if (url === null) return
    const source = readSource(resolve(BUILD, 'maps', url), sources)
    if (!source) return
    const line = originalLine - 1
    const start = lineStarts[generatedLine - 1] ?? 0
    places.push({ offset: start + generatedColumn, source, line })
    const state = source.lines[line]
    if (state) state.isBundled = true
  })
  return places.length === 0 ? null : { places: places.sort((a, b) => a.offset - b.offset) }
}

function readSource(path: string, sources: Map<string, SourceFile>): SourceFile | null {
  if (!/^src[/\\](?:client|shared)[/\\]/.test(relative(process.cwd(), path))) return null
  const known = sources.get(path)
  if (known) return known
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n').map(() => ({ isBundled: false, hasRun: false }))
  const source = { path, text, lines }
  sources.set(path, source)
  return source
}

function countLines({ places }: Bundle, functions: ScriptCoverage['functions']) {
  const counts = new Array<number>(places.length).fill(0)
  // V8 lists outer ranges before inner ones.
  for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
    counts.fill(count, firstFrom(places, startOffset), firstFrom(places, endOffset))
  }
  for (const [index, { source, line }] of places.entries()) {
    const state = source.lines[line]
    if (state && (counts[index] ?? 0) > 0) state.hasRun = true
  }
}

/** Returns the index of the first position at or after the offset. */
function firstFrom(places: Bundle['places'], offset: number): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle]?.offset ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return low
}

const NO_CODE = /^(?:import|export (?:type|interface|\{|\*)|type|interface|declare|\/\/|\/\*)/

/** Returns one function that spans the file, with a range for each run of lines that did not run. */
function toScriptCoverage({ path, text, lines }: SourceFile) {
  const ranges = [{ startOffset: 0, endOffset: text.length, count: 1 }]
  const starts = startsOfLines(text)
  const content = text.split('\n')
  const isBlockBundled = findBundledBlocks(content, lines)
  let isCovered = true
  for (const [index, { isBundled, hasRun }] of lines.entries()) {
    const line = content[index] ?? ''
    // A closing bracket, for example, has no mapping of its own: it counts with the code before it.
    if (isBundled) isCovered = hasRun
    else if (!isBlockBundled[index]) isCovered = NO_CODE.test(blockStart(content, index))
    else if (NO_CODE.test(line)) isCovered = true
    if (isCovered) continue
    const startOffset = starts[index] ?? 0
    const last = ranges.at(-1)
    if (last && last.count === 0 && last.endOffset + 1 === startOffset) last.endOffset = startOffset + line.length
    else ranges.push({ startOffset, endOffset: startOffset + line.length, count: 0 })
  }
  const functions = [{ functionName: '', isBlockCoverage: true, ranges }]
  return { scriptId: '0', url: pathToFileURL(path).href, functions }
}

/** For each line: whether any part of its declaration is in a bundle. */
function findBundledBlocks(content: readonly string[], lines: SourceFile['lines']): boolean[] {
  const starts = content.map((_, index) => blockStartIndex(content, index))
  const bundled = new Set(starts.filter((_, index) => lines[index]?.isBundled))
  return starts.map((start) => bundled.has(start))
}

function blockStart(content: readonly string[], index: number): string {
  return content[blockStartIndex(content, index)] ?? ''
}

/** A declaration begins with an unindented line and extends to the next such line. */
function blockStartIndex(content: readonly string[], index: number): number {
  let start = index
  while (start > 0 && !/^[^\s})\]]/.test(content[start] ?? '')) start--
  return start
}

function startsOfLines(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
