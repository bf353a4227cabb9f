import type { OpenPage } from './chromium.ts'

/** The narrowest phone that pages must fit, in CSS pixels. */
export const NARROW = 320

/** The widest fonts that `installTools` installs. Drawn 15 % larger, they are wider than the fonts of phones. */
const WIDE_FONTS = ['DejaVu Sans', 'DejaVu Sans Mono'] as const

/**
 * How many pixels the page is wider than its window: with its own fonts, and with all text in each of the wide fonts.
 */
export async function measureOverflow(open: OpenPage): Promise<Record<string, number>> {
  const overflows: Record<string, number> = { own: await open.evaluate(readOverflow, null) }
  for (const font of WIDE_FONTS) overflows[font] = await open.evaluate(readOverflow, font)
  return overflows
}

/** The result of `measureOverflow` for a page that fits. */
export const NO_OVERFLOW: Record<string, number> = Object.fromEntries(['own', ...WIDE_FONTS].map((font) => [font, 0]))

// Runs in the page. No content security policy applies to a constructed stylesheet.
async function readOverflow(font: string | null): Promise<number> {
  const sheet = new CSSStyleSheet()
  if (font !== null) {
    sheet.replaceSync(
      `@font-face { font-family: Wide; src: local("${font}"); size-adjust: 115% }
      *, *::before, *::after { font-family: Wide !important }`,
    )
  }
  document.adoptedStyleSheets = [sheet]
  // Rejects if the font is not installed.
  if (font !== null) await document.fonts.load('1em Wide')
  const { scrollWidth, clientWidth } = document.documentElement
  document.adoptedStyleSheets = []
  return scrollWidth - clientWidth
}
