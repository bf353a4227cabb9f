/** The size of a plot and its texts. */
export interface Drawing {
  width: number
  height: number
  /** Read out by screen readers instead of the drawing. */
  title: string
  description: string
  body: readonly string[]
}

// The colors keep their contrast on light and on dark pages.
const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 18px; font-weight: 600 }
.panel { font-size: 13px; font-weight: 600 }
.note { fill: #59636e }
.own { fill: #0969da } .own-line { stroke: #0969da; fill: none; stroke-width: 2 }
.other { fill: #9198a1 } .other-line { stroke: #bc4c00; fill: none; stroke-width: 2; stroke-dasharray: 5 3 }
.other-dot { fill: #bc4c00 }
.axis { stroke: #9198a1; stroke-width: 1 } .grid { stroke: #d1d9e0; stroke-width: 1 }
.page { fill: #ffffff }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .note { fill: #9198a1 }
  .own { fill: #4493f8 } .own-line { stroke: #4493f8 }
  .other { fill: #656c76 } .other-line { stroke: #f0883e } .other-dot { fill: #f0883e }
  .axis { stroke: #656c76 } .grid { stroke: #3d444d }
  .page { fill: #0d1117 }
}`

/** Returns an SVG file. */
export function drawSvg({ width, height, title, description, body }: Drawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escapeText(title)}</title>
<desc id="description">${escapeText(description)}</desc>
<style>${STYLE}
</style>
<rect class="page" width="${width}" height="${height}" rx="6"/>
${body.join('\n')}
</svg>
`
}

export function drawText(x: number, y: number, text: string, kind = '', anchor: 'start' | 'end' | 'middle' = 'start') {
  const attributes = `${kind === '' ? '' : ` class="${kind}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}`
  return `<text x="${round(x)}" y="${round(y)}"${attributes}>${escapeText(text)}</text>`
}

/** Moves the parts of a panel to its place. */
export function drawGroup(x: number, y: number, parts: readonly string[]): string {
  return `<g transform="translate(${round(x)} ${round(y)})">\n${parts.join('\n')}\n</g>`
}

export function drawLine(
  kind: string,
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
): string {
  return `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`
}

export function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
