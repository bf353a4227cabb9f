import { readFileSync } from 'node:fs'
import type { PluginBuild } from 'esbuild'
import { defineConfig } from 'hydrant'
import { build as nameOfBuild } from './parts/build.ts'

/** Changes the script that all pages share. */
export default defineConfig({
  esbuild: {
    plugins: [
      {
        name: 'mark',
        setup(build: PluginBuild) {
          build.onLoad({ filter: /react-dom-client\.production\.js$/ }, ({ path }) => ({
            contents: `${readFileSync(path, 'utf8')}\nglobalThis.buildOfEntry = "${nameOfBuild}"\n`,
          }))
        },
      },
    ],
  },
})
