import type { DevUpdate } from '../../shared/wire/dev-protocol.ts'

/** The end of a stylesheet's name: each page and layout has its own. */
const OF_PAGE = /_[A-Z2-7]{8}\.css$/

/** Replaces the rules of stylesheets, at once and without a request. */
export async function replaceStylesheets(styles: DevUpdate['styles']): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')]
  await Promise.all(
    links.map(async (link) => {
      const path = new URL(link.href).pathname.replace(OF_PAGE, '.css')
      const style = styles.find(({ file }) => path.endsWith(`/${file}`))
      if (style && !replaceRules(link, style.css)) await replaceLink(link)
    }),
  )
}

/** Replaces all rules. Returns false if the stylesheet cannot be replaced in this way. */
function replaceRules({ sheet }: HTMLLinkElement, css: string): boolean {
  // Constructed stylesheets cannot import others.
  if (!sheet || css.includes('@import')) return false
  try {
    const next = new CSSStyleSheet()
    next.replaceSync(css)
    while (sheet.cssRules.length > 0) sheet.deleteRule(0)
    for (const [index, rule] of [...next.cssRules].entries()) sheet.insertRule(rule.cssText, index)
    return true
  } catch {
    return false
  }
}

/** React knows a stylesheet by its `href`, which therefore stays. Browsers do not keep stylesheets of development. */
async function replaceLink(link: HTMLLinkElement): Promise<void> {
  const next = link.cloneNode() as HTMLLinkElement
  await new Promise((settled) => {
    next.addEventListener('load', settled)
    next.addEventListener('error', settled)
    link.after(next)
  })
  link.remove()
}

/** Loads images and icons again whose files in `public/` have changed. */
export function reloadFiles(paths: readonly string[]): void {
  if (paths.length === 0) return
  const isChanged = (url: string) => paths.some((path) => new URL(url, location.href).pathname.endsWith(`/${path}`))
  for (const image of document.querySelectorAll('img')) {
    if (isChanged(image.currentSrc || image.src)) image.src = withStamp(image.src)
  }
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel~=icon],link[rel=stylesheet]')) {
    if (isChanged(link.href)) link.href = withStamp(link.href)
  }
}

function withStamp(url: string): string {
  const stamped = new URL(url, location.href)
  stamped.searchParams.set('hydrant-changed', Date.now().toString(36))
  return stamped.href
}
