import { readFile } from 'node:fs/promises'
import type { PluginBuild } from 'esbuild'
import type { Config } from 'hydrant'

const notes = {
  name: 'notes',
  setup(build: PluginBuild) {
    build.onLoad({ filter: /\.note$/ }, async ({ path }) => {
      const text = (await readFile(path, 'utf8')).trim()
      const component = `export default function Note() { return <Frame id="note">${text}</Frame> }`
      return { contents: `import { Frame } from "../parts/frame"\n${component}`, loader: 'jsx' }
    })
  },
}

/** Leaves an import to the browser. */
const outside = {
  name: 'outside',
  setup(build: PluginBuild) {
    build.onResolve({ filter: /^outside$/ }, () => ({ path: '/left.js', external: true }))
  },
}

// Its package.json keeps the site from the package `hydrant` around it: only types are imported.
export default {
  esbuild: { plugins: [notes, outside], loader: { '.note': 'jsx', '.txt': 'text' } },
} satisfies Config
