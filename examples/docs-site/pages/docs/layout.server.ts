import { pages } from '../../content/pages.server.ts'

/** The load of a layout does not run again for each link below it. So it returns the headings of all pages. */
export function load() {
  return {
    pages: pages.map(({ sections, ...page }) => ({
      ...page,
      headings: sections.filter(({ id }) => id !== '').map(({ id, heading }) => ({ id, heading })),
    })),
  }
}
