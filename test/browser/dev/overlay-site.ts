/// <reference lib="dom" />

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { createSite } from '../../scripts/create-site.ts'
import { type RunningCli, startCli } from '../../scripts/run-cli.ts'
import { launchChromium, type OpenPage, type PageOptions } from '../chromium.ts'

export interface DevelopedSite {
  dir: string
  dev: RunningCli
  /** The URL of a path of the site. */
  at(path: string): string
  write(path: string, contents: string): void
  /** Opens a page with Chromium. */
  open(path: string, options?: PageOptions): Promise<DevelopedPage>
}

export interface DevelopedPage extends OpenPage {
  /** The dialog of the overlay. */
  dialog: Locator
}

export const LAYOUT = `export default function Layout({ children }) {
  return <html lang="en"><head><title>Site</title></head><body>{children}</body></html>
}
`

/** Starts `hydrant dev` for a site with a layout. */
export async function developSite(
  t: Test,
  files: Record<string, string>,
  env: Record<string, string> = {},
): Promise<DevelopedSite> {
  const dir = createSite(t, { 'pages/layout.tsx': LAYOUT, ...files })
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'], { env })
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const chromium = await launchChromium(t)
  const at = (path: string) => new URL(path, url).href
  return {
    dir,
    dev,
    at,
    write: (path, contents) => writeFileSync(join(dir, path), contents),
    async open(path, options = {}) {
      const opened = await chromium.open(options)
      await opened.goto(at(path), 'load')
      return { ...opened, dialog: dialogOf(opened.page) }
    },
  }
}

function dialogOf(page: Page): Locator {
  return page.getByRole('dialog')
}
