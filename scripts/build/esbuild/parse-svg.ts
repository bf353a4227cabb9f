/** An SVG file as the parts of a React element. */
export interface ParsedSvg {
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
export function parseSvg(source: string): ParsedSvg | null {
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
