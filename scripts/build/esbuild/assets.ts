import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parse } from 'node:path'
import type { Plugin, PluginBuild } from 'esbuild'
import { ASSETS_PATH } from '../../../src/shared/paths.ts'
import { resolveFile } from './resolve-file.ts'
import { BASE_MODULE, type BundleTarget, createBaseModule } from './virtual-modules.ts'

/** Extensions of the files that a site imports to get their URL. */
export const ASSET_EXTENSIONS = [
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'svg', 'ico'],
  ...['woff', 'woff2', 'ttf', 'otf', 'eot'],
  ...['mp4', 'webm', 'mp3', 'pdf', 'txt', 'wasm'],
]

/** A file that is copied into the build. */
export interface FileOnDisk {
  /** The absolute path. */
  path: string
}

export interface Assets<Content extends Uint8Array | FileOnDisk = Uint8Array> {
  plugin: Plugin
  /** The contents of the assets that the last build read, by their names in the client folder. */
  files: ReadonlyMap<string, Content>
}

/** Creates the plugin that publishes assets. Browser and server get the same URLs for them, under any base. */
export function createAssets(target: BundleTarget, extensions: readonly string[]): Assets {
  const files = new Map<string, Uint8Array>()
  const filter = new RegExp(`\\.(${extensions.join('|')})$`, 'i')

  async function emit(path: string): Promise<string> {
    const contents = await readFile(path)
    const file = nameAsset(path, contents)
    files.set(file, contents)
    return file
  }

  const plugin: Plugin = {
    name: 'hydrant-assets',
    setup(build) {
      build.onStart(() => files.clear())
      // A URL that begins with a slash is a file of public/. The relative URL is right under any base.
      build.onResolve({ filter: /^\// }, ({ kind, path }) =>
        kind === 'url-token' ? { path: path.startsWith('//') ? path : TO_BASE + path, external: true } : null,
      )
      // Stylesheets and assets are in the same folder, so a name is a relative URL.
      resolveUrls(build, extensions, async (path) => `./${await emit(path)}`)
      refuseQueries(build, extensions)
      build.onLoad({ filter, namespace: 'file' }, async ({ path }) => {
        const file = await emit(path)
        return { contents: createAssetModule(target, file), loader: 'js', watchFiles: [path] }
      })
      build.onResolve({ filter: new RegExp(`^${BASE_MODULE}$`) }, ({ path }) => ({ path, namespace: path }))
      build.onLoad({ filter: /./, namespace: BASE_MODULE }, () => ({
        contents: createBaseModule(target),
        loader: 'js',
      }))
    },
  }
  return { plugin, files }
}

export function nameAsset(path: string, contents: Uint8Array): string {
  const { name, ext } = parse(path)
  return `${name.replace(/[^\w.-]+/g, '-')}-${contentHash(contents)}${ext.toLowerCase()}`
}

function createAssetModule(target: BundleTarget, file: string): string {
  if (target === 'browser') return `export default new URL(${JSON.stringify(`./${file}`)}, import.meta.url).pathname`
  return `import { assets } from '${BASE_MODULE}'\nexport default assets + ${JSON.stringify(file)}`
}

// The plugins of the site and those for `?image` and `?component` have had their turn.
function refuseQueries(build: PluginBuild, extensions: readonly string[]) {
  const filter = new RegExp(`^[^?#]*\\.(?:${extensions.join('|')})(\\?.*)$`, 'i')
  build.onResolve({ filter }, ({ path, kind }) => {
    if (kind === 'url-token') return null
    const query = filter.exec(path)?.[1]
    const advice = 'Use "?image" for an image, "?component" for an SVG file, and no query for the URL alone'
    return { errors: [{ text: `Nothing in this site handles the query "${query}" of the import. ${advice}` }] }
  })
}

/** The relative URL of the base for a stylesheet, which is in the folder of the assets. */
const TO_BASE = ASSETS_PATH.split('/').slice(2).fill('..').join('/')

const resolving = Symbol('resolving')

function resolveUrls(build: PluginBuild, extensions: readonly string[], toUrl: (path: string) => Promise<string>) {
  const filter = new RegExp(`^([^?#]*\\.(?:${extensions.join('|')}))([?#].*)?$`, 'i')
  build.onResolve({ filter }, async ({ path, kind, pluginData, importer, namespace, resolveDir }) => {
    if (kind !== 'url-token' || pluginData === resolving || /^([a-z][a-z\d+.-]*:|\/)/i.test(path)) return null
    const [, bare = path, suffix = ''] = filter.exec(path) ?? []
    const found = await resolveFile(build, bare, { kind, importer, namespace, resolveDir, pluginData: resolving })
    if (found.errors.length > 0) return { errors: found.errors }
    if (found.external || found.namespace !== 'file') return null
    return { path: (await toUrl(found.path)) + suffix, external: true, watchFiles: [found.path] }
  })
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns a hash of 40 bits in esbuild's format, eight characters of base 32: file names in any case are safe. */
export function contentHash(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return Array.from(hash.digest().subarray(0, 8), (byte) => ALPHABET[byte % 32]).join('')
}
