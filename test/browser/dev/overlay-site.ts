import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { OpenPage, PageOptions } from '../chromium.ts'
import { type DevSite, type DevSiteOptions, startDevSite } from './dev-site.ts'

export interface DevelopedSite extends Omit<DevSite, 'open'> {
  /** The URL of a path of the site. */
  at(path: string): string
  /** Removes the errors of the tests before, as any edit does. */
  removeErrors(): Promise<void>
  /** Opens a page in the tab that the tests of the site use one after the other; with options, in a tab of its own. */
  open(path: string, options?: PageOptions): Promise<DevelopedPage>
}

export interface DevelopedPage extends OpenPage {
  /** The dialog of the overlay. */
  dialog: Locator
}

/** Starts `hydrant dev` for a site in `test/apps/`, or for files, which may leave out the layout. */
export async function developSite(
  t: Pick<Test, 'testdir' | 'testdirName' | 'teardown'>,
  given: string | Record<string, string>,
  options: DevSiteOptions = {},
): Promise<DevelopedSite> {
  const site = await startDevSite(t, given, options)
  const layout = readFileSync(join(site.dir, 'pages/layout.tsx'), 'utf8')
  const at = (path: string) => new URL(path, site.url).href
  return {
    ...site,
    at,
    async removeErrors() {
      await site.tab()
      site.write('pages/layout.tsx', `// ${Date.now()}\n${layout}`)
      await site.dev.waitFor(/^updated in .*pages\/layout\.tsx/)
    },
    async open(path, options) {
      const opened = options ? await site.chromium.open(options) : await site.tab()
      await opened.goto(at(path), 'load')
      return { ...opened, dialog: dialogOf(opened.page) }
    },
  }
}

function dialogOf(page: Page): Locator {
  return page.getByRole('dialog')
}
