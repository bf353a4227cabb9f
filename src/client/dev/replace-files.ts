/**
 * Loads stylesheets again, by their names in the assets folder. Each old stylesheet applies until the new one has been
 * loaded.
 */
export async function replaceStylesheets(names: readonly string[]): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].filter(({ href }) =>
    names.some((name) => new URL(href).pathname.endsWith(`/${name}`)),
  )
  await Promise.all(links.map(replaceLink))
}

/**
 * React knows a stylesheet by its `href`, which must therefore stay. So the new stylesheet gets the old one's `href`
 * once it has been loaded under another.
 */
async function replaceLink(link: HTMLLinkElement): Promise<void> {
  const { sheet, href } = link
  if (!sheet) return
  const response = await fetch(href, { cache: 'reload' })
  if (!response.ok) return
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
