import { existsSync } from 'node:fs'
import { join } from 'node:path'

const { env, platform } = process

/** Where Chromium, Chrome and Edge are, in the order in which they are tried. */
const PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    // Without windows, which take most of the time of opening a page.
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/opt/google/chrome/chrome',
    '/snap/bin/chromium',
    '/usr/bin/microsoft-edge',
  ],
  darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].flatMap((name) =>
    ['Google/Chrome', 'Chromium', 'Microsoft/Edge'].map((folder) =>
      join(env[name] ?? '', folder, 'Application', folder.endsWith('Edge') ? 'msedge.exe' : 'chrome.exe'),
    ),
  ),
}

/** What the test command says when there is no browser that it may install. */
export const BROWSER_MISSING =
  'The tests need Chromium, Chrome or Edge, and found none: install one (macOS: brew install --cask chromium, Windows: winget install Google.Chrome, Debian: apt-get install chromium, Fedora: dnf install chromium), or set CHROMIUM to the path of its program.'

/** Returns the path of an installed browser: that of the environment variable CHROMIUM, or the first that is found. */
export function findBrowser(): string | null {
  const places = env.CHROMIUM ? [env.CHROMIUM] : (PLACES[platform] ?? [])
  return places.find((place) => existsSync(place)) ?? null
}
