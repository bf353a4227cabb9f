// Notices that a translation has changed the page.

const MARK = /\btranslated-/

/**
 * Returns the function that loads the code for a page that a translation has changed, if it has. Google Translate marks
 * the document, and other translations are noticed when the function is called.
 */
export function createTextGuard(): () => Promise<void> {
  const { documentElement } = document
  const fonts = document.getElementsByTagName('font')

  async function guard() {
    if (fonts.length === 0 && !MARK.test(documentElement.className)) return
    // Without the code, the page is rendered again when React throws.
    await import('./repair.ts').then(({ guardTexts }) => guardTexts()).catch(() => {})
  }

  new MutationObserver(guard).observe(documentElement, { attributeFilter: ['class'] })
  void guard()
  return guard
}
