import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Plugin } from 'esbuild'
import { type ParsedSvg, parseSvg } from './parse-svg.ts'
import { resolveQuery } from './resolve-file.ts'

/** The namespace of the modules of components. */
export const SVG_NAMESPACE = 'hydrant-svg'

/** Creates the plugin that turns `import Logo from './logo.svg?component'` into a React component, on both sides. */
export function createSvgComponents(siteDir: string): Plugin {
  return {
    name: SVG_NAMESPACE,
    setup(build) {
      build.onResolve({ filter: /\.svg\?component$/i }, (args) =>
        resolveQuery(build, args, { siteDir, namespace: SVG_NAMESPACE }),
      )
      build.onLoad({ filter: /./, namespace: SVG_NAMESPACE }, async ({ path: sitePath }) => {
        const path = resolve(siteDir, sitePath)
        const svg = parseSvg(await readFile(path, 'utf8'))
        if (!svg)
          return { errors: [{ text: 'The root element of the file is not <svg>', location: { file: sitePath } }] }
        return { contents: writeComponent(svg), loader: 'js', resolveDir: dirname(path), watchFiles: [path] }
      })
    },
  }
}

function writeComponent({ attributes, content }: ParsedSvg): string {
  // The markup is not converted to elements: browsers and the server get the same text, and React parses nothing.
  return `import { jsx } from 'react/jsx-runtime'
const attributes = ${JSON.stringify(attributes)}
const content = ${JSON.stringify(content)}
const escape = (text) => String(text).replace(/[&<]/g, (one) => (one === '&' ? '&amp;' : '&lt;'))
export default function Svg({ title, ...props }) {
  const titled = title === undefined ? {} : { role: 'img' }
  const __html = (title === undefined ? '' : '<title>' + escape(title) + '</title>') + content
  return jsx('svg', { ...attributes, ...titled, ...props, dangerouslySetInnerHTML: { __html } })
}
`
}
