import { STYLE } from './overlay-style.ts'

/**
 * Returns a shadow root in an element of its own below `<html>`, where the page's styles have no effect. If the
 * element is removed, it is added again: when React renders the whole document again, it removes elements that it
 * does not know.
 *
 * @param onReturn Called when the element was removed and is in the document again.
 */
export function createHost(onReturn: () => void): { root: ShadowRoot; remove(): void } {
  const host = document.createElement('hydrant-overlay')
  const root = host.attachShadow({ mode: 'open' })
  // A style element would need the nonce of the page's policy.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  root.adoptedStyleSheets = [sheet]
  const observer = new MutationObserver(attach)

  function attach() {
    const isReturn = !host.isConnected && observed !== null
    if (!host.isConnected) document.documentElement.append(host)
    if (observed !== document.documentElement) observe(document.documentElement)
    if (isReturn) onReturn()
  }

  let observed: HTMLElement | null = null
  function observe(html: HTMLElement) {
    observed = html
    observer.disconnect()
    observer.observe(document, { childList: true })
    observer.observe(html, { childList: true })
  }

  attach()
  return {
    root,
    remove() {
      observer.disconnect()
      host.remove()
    },
  }
}
