/// <reference lib="dom" />

import { type Browser, type CDPSession, type ConsoleMessage, chromium, type Page, type Response } from 'playwright-core'
import type { Test } from 'tap'
import { HOST } from '../proxy/documented.ts'
import { endLater } from '../runner/kept.ts'
import { CHROMIUM } from '../tools.ts'
import { until } from '../until.ts'
import { createClientCoverage } from './client-coverage.ts'
import { BROWSER_MISSING, findBrowser } from './find-browser.ts'
import { describePage, isHydrated } from './hydration.ts'

/** A host name that resolves to this machine, for pages behind a proxy. */
export const PUBLIC_HOST = 'public.example'

/** How long a test waits for something in a page. `until` waits longer, so that the error says what is missing. */
const PATIENCE_MS = 90_000

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  // A process less for each browser.
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${PUBLIC_HOST} 127.0.0.1, MAP ${HOST} 127.0.0.1`,
]

const DISABLED = ['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable']

export interface PageOptions {
  /** Whether JavaScript is on (true). */
  javaScript?: boolean
  width?: number
  colorScheme?: 'light' | 'dark'
}

/**
 * Its methods put no script into the page, as Playwright's own do at the first use in each document, which takes as long
 * as loading it. Playwright's own methods have to work on every page too: `form-kinds.browser.test.ts` clicks each kind of form
 * with them, and the tests of the console find elements by their roles.
 */
export interface OpenPage {
  page: Page
  /** Chromium's own protocol. */
  protocol: CDPSession
  /** Errors in the console since the last `goto`, without those about responses whose status is not 2xx. */
  errors: string[]
  /** Navigates to a URL. Resolves at the first bytes of the response, or when the page has loaded. */
  goto(url: string, until: 'commit' | 'load'): Promise<Response>
  /** Runs a function in the page, also without JavaScript. */
  evaluate<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>
  /** Clicks the middle of the first element that matches the selector with the mouse, when nothing covers it. */
  click(selector: string, options?: { clickCount?: number }): Promise<void>
  /** Moves the mouse there. */
  hover(selector: string): Promise<void>
  focus(selector: string): Promise<void>
  /** Focuses an element and presses a key. */
  press(selector: string, key: string): Promise<void>
  /** Focuses a field and replaces its text, as a keyboard does. */
  fill(selector: string, text: string): Promise<void>
  /** Returns the value of a field. */
  valueOf(selector: string): Promise<string | undefined>
  /** Returns the number of elements that match the selector. */
  count(selector: string): Promise<number>
  /** Resolves when React has hydrated the page. */
  hydrated(): Promise<void>
  /** Resolves when an element that matches the selector has the text. */
  hasText(selector: string, text: string | RegExp): Promise<void>
  /** Resolves when an element that matches the selector is visible. Without JavaScript it must be visible already. */
  shown(selector: string): Promise<void>
  /** Returns the visible text of the first element that matches the selector, or an empty string. */
  read(selector: string): Promise<string>
}

/** The test that a page is opened for: another one may use it afterwards. */
export type Owner = Pick<Test, 'teardown'>

export interface Chromium {
  /** Opens a page for the test that launched Chromium, or for another one. */
  open(options?: PageOptions, owner?: Owner): Promise<OpenPage>
}

interface Running {
  browser: Browser
  /** Pages that tests have left, by their options. */
  left: Map<string, Page[]>
}

const running = new Map<Program, Promise<Running>>()

/** The browser that people use, or its engine without windows, in which a page takes a third of the time. */
type Program = 'browser' | 'engine'

/**
 * Launches Chromium, unless the process has one. At the end of the test that owns a page, it closes or is left for
 * another test, and the client code that has run is added to the coverage.
 */
export async function launchChromium(t: Pick<Test, 'teardown'>, program: Program = 'engine'): Promise<Chromium> {
  const { browser, left } = await shareBrowser(t, program)
  const coverage = createClientCoverage()
  t.teardown(() => coverage.write())
  return {
    async open(options = {}, owner = t) {
      const kind = JSON.stringify(options)
      const pages = left.get(kind) ?? []
      left.set(kind, pages)
      const page = pages.pop() ?? (await openPage(browser, options))
      const measured = options.javaScript === false ? undefined : await coverage.start(page)
      const protocol = await page.context().newCDPSession(page)
      const isReusable = watchChanges(page)
      owner.teardown(async () => {
        await measured?.end()
        if (isReusable() && (await clean(page, protocol))) pages.push(page)
        else await page.context().close()
      })
      return control(page, protocol, async () => measured?.take(), options.javaScript !== false)
    },
  }
}

async function shareBrowser(t: Pick<Test, 'teardown'>, program: Program): Promise<Running> {
  const known = await running.get(program)
  if (known?.browser.isConnected()) return known
  const executablePath = program === 'browser' ? CHROMIUM : findBrowser()
  if (executablePath === null) throw new Error(BROWSER_MISSING)
  // Creating a frame for each document of the same site takes a fifth of the time of a navigation.
  const disabled = program === 'browser' ? DISABLED : [...DISABLED, 'RenderDocument']
  const args = [...ARGUMENTS, `--disable-features=${disabled.join(',')}`]
  const launched = chromium.launch({ executablePath, args }).then((browser) => ({ browser, left: new Map() }))
  running.set(program, launched)
  endLater(t, async () => {
    running.delete(program)
    await (await launched).browser.close()
  })
  return launched
}

async function openPage(browser: Browser, { javaScript = true, width = 1280, colorScheme = 'light' }: PageOptions) {
  const page = await browser.newPage({
    // The proxies use a certificate of the tests.
    ignoreHTTPSErrors: true,
    javaScriptEnabled: javaScript,
    viewport: { width, height: 800 },
    colorScheme,
  })
  page.setDefaultTimeout(PATIENCE_MS)
  return page
}

/** Methods that change a page in a way that `clean` does not undo. */
const LASTING = ['addInitScript', 'close', 'emulateMedia', 'exposeFunction', 'setExtraHTTPHeaders', 'setViewportSize']
const LASTING_OF_CONTEXT = ['addInitScript', 'close', 'exposeFunction', 'grantPermissions', 'newCDPSession', 'route']
const LASTING_OF_CLOCK = ['install', 'setFixedTime', 'setSystemTime']

/** The events of pages that tests listen to. Playwright itself listens to others. */
const EVENTS = ['console', 'dialog', 'framenavigated', 'load', 'pageerror', 'request', 'requestfailed', 'response']

/** Returns a function that says whether no such method has been called. */
function watchChanges(page: Page): () => boolean {
  let isChanged = false
  for (const [target, names] of [
    [page, LASTING],
    [page.context(), LASTING_OF_CONTEXT],
    [page.clock, LASTING_OF_CLOCK],
  ] as const) {
    for (const name of names) {
      const method: (...words: unknown[]) => unknown = Reflect.get(Object.getPrototypeOf(target), name)
      Reflect.set(target, name, (...words: unknown[]) => {
        isChanged = true
        return method.apply(target, words)
      })
    }
  }
  return () => !isChanged
}

/**
 * Makes a page like a new one, in which a navigation takes twice the time: its process compiles every script anew.
 * Resolves with false if the page does not let itself be left.
 */
async function clean(page: Page, protocol: CDPSession): Promise<boolean> {
  const context = page.context()
  for (const event of EVENTS) page.removeAllListeners(event)
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await page.goto('about:blank')
    // Here, because Playwright learns of a new page a moment after it was opened.
    for (const other of context.pages()) if (other !== page) await other.close()
    // Outside of the page, as before the first movement.
    await page.mouse.move(-1, -1)
    await protocol.send('Runtime.evaluate', { expression: "window.name = ''" })
    await protocol.send('Page.resetNavigationHistory')
    await protocol.send('Network.clearBrowserCache')
    // The cookies, and what pages have stored.
    await protocol.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' })
    await context.clearCookies()
    await protocol.detach()
    return true
  } catch {
    return false
  }
}

async function control(
  page: Page,
  protocol: CDPSession,
  takeCoverage: () => Promise<void>,
  javaScript: boolean,
): Promise<OpenPage> {
  const errors: string[] = []
  page.on('console', (message) => isError(message) && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(String(error)))

  async function evaluate<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result> {
    const expression = `(${work})(${JSON.stringify(argument)})`
    const { result, exceptionDetails } = await protocol.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    // The result of the function, serialized as JSON.
    return result.value as Result
  }

  /** Runs a function in the page until it returns a truthy value. */
  async function find<Result, Argument>(
    what: string,
    look: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<NonNullable<Result>> {
    const endsAt = Date.now() + PATIENCE_MS
    let failure: Error | undefined
    return until(async () => {
      // A call fails while the page goes to another document.
      const found = await evaluate(look, argument).catch((error: Error) => {
        failure = error
        return null
      })
      if (found || Date.now() < endsAt) return found
      throw new Error(`not ${what} at ${page.url()}`, { cause: failure })
    })
  }

  async function focus(selector: string) {
    await find(`${selector} to focus`, focusElement, selector)
  }

  return {
    page,
    protocol,
    errors,
    async goto(url, until) {
      await takeCoverage()
      errors.length = 0
      const response = await page.goto(url, { waitUntil: until })
      if (!response) throw new Error(`${url} is where the page already was.`)
      return response
    },
    evaluate,
    async click(selector, options) {
      const { x, y } = await find(`${selector} to click`, findMiddle, selector)
      await page.mouse.click(x, y, options)
    },
    async hover(selector) {
      const { x, y } = await find(`${selector} to point at`, findMiddle, selector)
      await page.mouse.move(x, y)
    },
    focus,
    async press(selector, key) {
      await focus(selector)
      await page.keyboard.press(key)
    },
    async fill(selector, text) {
      await focus(selector)
      await evaluate(() => (document.activeElement as HTMLInputElement).select(), null)
      if (text === '') await page.keyboard.press('Delete')
      else await page.keyboard.insertText(text)
    },
    valueOf: (selector) => evaluate(readValue, selector),
    count: (selector) => evaluate((selector) => document.querySelectorAll(selector).length, selector),
    async hydrated() {
      await find('hydrated', isHydrated, null).catch(async (error: Error) => {
        const seen = JSON.stringify({ ...(await evaluate(describePage, null)), errors })
        throw new Error(`${error.message}: ${seen}`, { cause: error })
      })
    },
    async hasText(selector, text) {
      const pattern = typeof text === 'string' ? text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&') : text.source
      const patienceMs = javaScript ? PATIENCE_MS : 0
      await find(`${text} in ${selector}`, waitForText, { selector, pattern, patienceMs })
    },
    read: (selector) => evaluate(readElement, selector),
    async shown(selector) {
      if (javaScript) return void (await find(selector, waitForElement, { selector, patienceMs: PATIENCE_MS }))
      // No timer runs in a page without JavaScript, and its document does not change after loading.
      if (!(await evaluate(isShown, selector))) throw new Error(`no ${selector} in ${page.url()}`)
    },
  }
}

function isError(message: ConsoleMessage): boolean {
  return message.type() === 'error' && !message.text().startsWith('Failed to load resource')
}

// These functions run in the page.

function isShown(selector: string): boolean {
  return [...document.querySelectorAll<HTMLElement>(selector)].some((element) => element.offsetHeight > 0)
}

function readElement(selector: string): string {
  return document.querySelector<HTMLElement>(selector)?.innerText ?? ''
}

function waitForElement({ selector, patienceMs }: { selector: string; patienceMs: number }): Promise<boolean> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`no ${selector}: ${document.documentElement.outerHTML}`)), patienceMs)
    const look = () => {
      const elements = [...document.querySelectorAll<HTMLElement>(selector)]
      if (elements.some((element) => element.offsetHeight > 0)) resolve(true)
      else setTimeout(look, 30)
    }
    look()
  })
}

function waitForText({ selector, pattern, patienceMs }: { selector: string; pattern: string; patienceMs: number }) {
  const text = new RegExp(pattern)
  const hasText = () =>
    [...document.querySelectorAll(selector)].some(
      (element) => element.checkVisibility() && text.test(element.textContent?.replaceAll(/\s+/g, ' ') ?? ''),
    )
  // Nothing runs later in a page without JavaScript.
  if (patienceMs === 0) return hasText()
  return new Promise<boolean>((resolve) => {
    const observer = new MutationObserver(look)
    observer.observe(document, { attributes: true, childList: true, characterData: true, subtree: true })
    setTimeout(() => resolve(false), patienceMs)
    look()
    function look() {
      if (!hasText()) return
      observer.disconnect()
      // React runs the effects of what it has shown in a task that it has posted. A test may have stopped all timers.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => resolve(true)
      port2.postMessage(null)
    }
  })
}

function findMiddle(selector: string): { x: number; y: number } | null {
  const element = document.querySelector(selector)
  if (!element) return null
  const { top, bottom } = element.getBoundingClientRect()
  if (top < 0 || bottom > innerHeight) element.scrollIntoView({ block: 'center', behavior: 'instant' })
  // A link can have several lines.
  const [box] = element.getClientRects()
  if (!box) return null
  const x = box.left + box.width / 2
  const y = box.top + box.height / 2
  return element.contains(document.elementFromPoint(x, y)) ? { x, y } : null
}

function focusElement(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector)
  element?.focus()
  return element !== null && element === document.activeElement
}

function readValue(selector: string): string | undefined {
  return document.querySelector<HTMLInputElement>(selector)?.value
}
