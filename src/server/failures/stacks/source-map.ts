import { fileURLToPath } from 'node:url'
import type { MappedBundle } from '../../build-output/loaded-bundles.ts'
import type { CodeLines, SourceFrame } from '../../errors/failure-record.ts'
import { pathOf } from '../../http/request-url.ts'
import { remember } from '../../util/remember.ts'
import { toSitePath } from '../../util/to-site-path.ts'
import { createBundleMaps, type Renamed } from './bundle-maps.ts'
import { isCaller } from './error-stack.ts'
import { createLocator, type Locator } from './locator.ts'
import { linesAround } from './source-map-file.ts'
import { frameText, type MappedFrame, readFrame } from './stack-frame.ts'

export interface SourceMapper {
  /** Maps a frame of a stack to the source. A frame of another file stays as it is. */
  mapFrame(frame: string): MappedFrame
  /** Returns the source's name of a class or function of the site. */
  mapName(name: string): string
  /**
   * Returns the source around a frame in the site at the time of the build, or null when the map does not contain it.
   */
  codeAround(frame: SourceFrame): CodeLines | null
}

/** Maps frames of the server's bundles. */
export interface ServerMapper extends SourceMapper, Locator {}

const MAX_KNOWN_FRAMES = 2_000

/**
 * Creates a mapper for the files in `bundles`, each of which has its map beside it. A map is read with the first
 * failure that needs it. A missing or broken map leaves frames unchanged.
 */
export function createSourceMapper(siteDir: string, bundles: readonly MappedBundle[]): ServerMapper {
  const maps = createBundleMaps(siteDir, bundles)
  // perf: most failures occur again, 0.02 µs instead of 7 µs for a known frame, commit 8d8d4fde
  const mappedFrames = new Map<string, MappedFrame>()

  // With --enable-source-maps Node.js has mapped the place, but not the name of the function.
  function mappedByNode(text: string, raw: SourceFrame, isAsync: boolean): MappedFrame {
    const file = toSitePath(siteDir, raw.file)
    if (!/\.(?:[jt]sx?|mdx)$/.test(file) || /^\.|(^|\/)node_modules\//.test(file) || isCaller(raw.file))
      return { text, frame: raw }
    const frame = { ...raw, file, function: originalName(raw.function, maps.renamedIn(raw.file)), isSite: true }
    return { text: frameText(frame, isAsync), frame }
  }

  function map(text: string): MappedFrame {
    const read = readFrame(text)
    if (!read) return { text, frame: null }
    const { isAsync, location, function: name, line, column } = read
    const raw = { file: toPath(location), line, column, function: name, isSite: false }
    const loaded = maps.ofBundle(raw.file)
    if (loaded === undefined) return mappedByNode(text, raw, isAsync)
    if (loaded === null)
      return { text, frame: { ...raw, unmapped: 'the source map of this file is missing or cannot be read' } }
    const place = loaded.placeOf(line, column)
    if (!place) return { text, frame: raw }
    const { source, ...rest } = place
    const frame = { ...rest, function: originalName(name, loaded.renamed.get(source)) }
    return { text: frameText(frame, isAsync), frame }
  }

  function mapFrame(text: string): MappedFrame {
    const known = mappedFrames.get(text)
    if (known) return known
    const mapped = map(text)
    // The map may be readable later.
    return mapped.frame?.unmapped === undefined ? remember(mappedFrames, MAX_KNOWN_FRAMES, text, mapped) : mapped
  }

  function codeAround({ file, line }: SourceFrame): CodeLines | null {
    const lines = [...maps.mapped({ file })].flatMap(({ map }) => map.sources.get(file) ?? [])
    return linesAround(lines, line)
  }

  return { mapFrame, mapName: maps.originalOf, codeAround, ...createLocator(maps.mapped, mapFrame) }
}

function toPath(location: string): string {
  if (!location.startsWith('file://')) return location
  try {
    return fileURLToPath(pathOf(location))
  } catch {
    return location
  }
}

// Restores the source's names in `Object.load2 [as load]`, `new Cart` or `Cart.total`.
function originalName(name: string, renamed: Renamed | undefined): string {
  const called = name.replace(/ \[as [^\]]*\]$/, '').replace(/^Object\./, '')
  if (called === '<anonymous>') return ''
  return called.replace(/[\w$]+/g, (token) => renamed?.get(token) ?? token)
}
