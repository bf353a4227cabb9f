import type { OpenPage } from './chromium.ts'

/** The narrowest phone that pages must fit, in CSS pixels. */
export const NARROW = 320

/** The widest fonts that `installTools` installs. Drawn 15 % larger, they are wider than the fonts of phones. */
const WIDE_FONTS = ['DejaVu Sans', 'DejaVu Sans Mono'] as const

/**
 * How many pixels the page is wider than its window: with its own fonts, and with all text in each of the wide fonts.
 */
export function measureOverflow(open: OpenPage): Promise<Record<string, number>> {
  return open.evaluate(readOverflows, WIDE_FONTS)
}

/** The result of `measureOverflow` for a page that fits. */
export const NO_OVERFLOW: Record<string, number> = Object.fromEntries(['own', ...WIDE_FONTS].map((font) => [font, 0]))

// Runs in the page. No content security policy applies to a constructed stylesheet.
async function readOverflows(fonts: readonly string[]): Promise<Record<string, number>> {
  const { documentElement: root } = document
  const own = [...document.adoptedStyleSheets]
  const overflows: Record<string, number> = { own: root.scrollWidth - root.clientWidth }
  for (const font of fonts) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      `@font-face { font-family: "Wide ${font}"; src: local("${font}"); size-adjust: 115% }
      *, *::before, *::after { font-family: "Wide ${font}" !important }`,
    )
    document.adoptedStyleSheets = [...own, sheet]
    // Rejects if the font is not installed.
    await document.fonts.load(`1em "Wide ${font}"`)
    overflows[font] = root.scrollWidth - root.clientWidth
  }
  document.adoptedStyleSheets = own
  return overflows
}
