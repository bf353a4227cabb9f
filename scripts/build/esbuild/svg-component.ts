import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Plugin } from 'esbuild'
import { resolveQuery } from './resolve-file.ts'

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

/** An SVG file as the parts of a React element. */
interface ParsedSvg {
  /** The attributes of the root element under React's names. */
  attributes: Record<string, string | Record<string, string>>
  /** The markup inside the root element. */
  content: string
}

const BEFORE_ROOT = /^(?:\uFEFF|\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^[>]*(?:\[[\s\S]*?\]\s*)?>)*/i
const ROOT = /^<svg((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?:\/>|>([\s\S]*)<\/svg\s*>)/
/** Prefixes whose attributes React knows. Others are notes of drawing programs. */
const KNOWN_PREFIX = /^(?:xml:|xlink:|xmlns:xlink$)/
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Parses an SVG file. Returns null for a text whose root element is not `<svg>`. */
function parseSvg(source: string): ParsedSvg | null {
  const found = ROOT.exec(source.replace(BEFORE_ROOT, ''))
  if (!found) return null
  const [, written = '', content = ''] = found
  const pairs = [...written.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
  const attributes = pairs
    .map(([, name = '', double, single]) => [name, decode(double ?? single ?? '')] as const)
    .filter(([name]) => !name.includes(':') || KNOWN_PREFIX.test(name))
    .map(([name, value]) => [toReactName(name), name === 'style' ? parseStyle(value) : value])
  return { attributes: Object.fromEntries(attributes), content: content.trim() }
}

function toReactName(name: string): string {
  if (name === 'class') return 'className'
  if (name === 'tabindex') return 'tabIndex'
  return /^(?:aria|data)-/.test(name) ? name : toCamelCase(name)
}

/** Returns the object for React's `style`. A semicolon inside brackets separates nothing: `url(data:image/png;…)`. */
function parseStyle(text: string): Record<string, string> {
  const rules = (text.match(/(?:[^;(]|\([^)]*\))+/g) ?? []).map((rule) => {
    const at = rule.indexOf(':')
    return [rule.slice(0, at).trim(), rule.slice(at + 1).trim()] as const
  })
  const named = rules.filter(([name]) => name !== '')
  return Object.fromEntries(named.map(([name, value]) => [name.startsWith('--') ? name : toCamelCase(name), value]))
}

function toCamelCase(name: string): string {
  return name.replace(/^-ms-/, 'ms-').replace(/[-:](\w)/g, (_, letter: string) => letter.toUpperCase())
}

function decode(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return decimal === undefined ? (ENTITIES[name] ?? all) : String.fromCodePoint(Number(decimal))
  })
}
