import { relative, sep } from 'node:path'

/** Returns the path of a file relative to the site's folder, with forward slashes. */
export function toSitePath(siteDir: string, file: string): string {
  return relative(siteDir, file).split(sep).join('/')
}
