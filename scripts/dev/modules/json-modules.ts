import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import type { BundleTarget } from '../../build/esbuild/bundle-target.ts'
import { exportMembers } from '../../build/esbuild/export-members.ts'

/** The names of a larger object would be the code that takes long. */
const MAX_KEYS = 1_000

/**
 * Creates the plugin that makes a JSON file a module which parses a text. esbuild writes its data as code, and reading that
 * code in the steps that follow blocks the server for seconds if the file has megabytes.
 */
export function createJsonModules(target: BundleTarget): Plugin {
  return {
    name: 'hydrant-json-modules',
    setup(build) {
      build.onLoad({ filter: /\.json$/, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        const keys = keysOf(text)
        // esbuild reports errors with their place.
        if (keys === null || keys.length > MAX_KEYS) return null
        const value = `JSON.parse(${JSON.stringify(text)})`
        return {
          contents: target === 'server' ? `module.exports = ${value}\n` : writeModule(value, keys),
          loader: 'js',
        }
      })
    },
  }
}

/** Returns the keys of an object, an empty list for other data, and null for a text that is not JSON. */
function keysOf(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  } catch {
    return null
  }
}

function writeModule(value: string, keys: readonly string[]): string {
  const names = keys.filter((key) => key !== 'default')
  return `const data = ${value}\nexport default data\n${exportMembers('data', names)}`
}
