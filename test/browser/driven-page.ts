/// <reference lib="dom" />

// A page in a browser that is driven by WebDriver (https://www.w3.org/TR/webdriver2/).

import { PATIENCE_MS, until } from '../until.ts'
import { isHydrated } from './hydration.ts'

export interface DrivenPage {
  goto(url: string): Promise<void>
  /** Runs a function in the page and resolves with its result, which may be a promise. */
  evaluate<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>
  /** Clicks the first element that matches the selector with the mouse, once it is visible. */
  click(selector: string): Promise<void>
  /** Focuses the first element that matches the selector, and types the text. */
  type(selector: string, text: string): Promise<void>
  /** Resolves when React has hydrated the page. */
  hydrated(): Promise<void>
  /** Resolves when an element shows the text. */
  shows(selector: string, text: string): Promise<void>
}

/** What a driver waits for before it runs a command: for the page to load, or for nothing. */
export type PageLoad = 'normal' | 'none'

/** The commands of a browser. */
export interface Driver {
  goto(url: string): Promise<unknown>
  /** Runs the body of a function, and resolves with its result. */
  run(script: string): Promise<unknown>
  /** Resolves with an object whose only value is the id of the element. */
  find(selector: string): Promise<unknown>
  click(id: string): Promise<unknown>
  type(id: string, text: string): Promise<unknown>
}

export function drivePage(driver: Driver): DrivenPage {
  async function evaluate<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result> {
    // The result of the function, serialized as JSON.
    return (await driver.run(`return (${work})(${JSON.stringify(argument)})`)) as Result
  }

  async function becomesTrue<Argument>(what: string, look: (argument: Argument) => boolean, argument?: Argument) {
    const endsAt = Date.now() + PATIENCE_MS
    await until(async () => {
      // A call fails while the page goes to another document.
      if (await evaluate(look, argument as Argument).catch(() => false)) return true
      if (Date.now() < endsAt) return false
      const [address, text] = await evaluate(() => [location.href, document.body.innerText], null)
      throw new Error(`not ${what} at ${address}: ${text}`)
    })
  }

  async function find(selector: string): Promise<string> {
    const [id = ''] = Object.values((await driver.find(selector)) as Record<string, string>)
    return id
  }

  return {
    async goto(url) {
      await driver.goto(url)
    },
    evaluate,
    async click(selector) {
      // What is streamed is hidden until React moves it to its place.
      await becomesTrue(
        `${selector} visible`,
        (selector) => document.querySelector(selector)?.checkVisibility() === true,
        selector,
      )
      await driver.click(await find(selector))
    },
    async type(selector, text) {
      await driver.type(await find(selector), text)
    },
    hydrated: () => becomesTrue('hydrated', isHydrated),
    shows: (selector, text) =>
      becomesTrue(
        `${text} in ${selector}`,
        ([selector, text]) => {
          const elements = [...document.querySelectorAll<HTMLElement>(selector)]
          return elements.some((element) => element.checkVisibility() && element.innerText.includes(text))
        },
        [selector, text] as const,
      ),
  }
}
