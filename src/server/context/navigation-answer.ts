import type { NavigationLine } from '../../shared/wire/navigation-protocol.ts'

/** The response to a navigation: a list of lines, each one JSON. */
export interface NavigationAnswer {
  /** True once the headers have been sent; each line then goes out at once. */
  readonly isOpen: boolean
  send(line: NavigationLine): void
  /** Sends a line that is JSON already. */
  sendText(line: string): void
  /**
   * Ends the response if a load has set a cookie after the headers were sent. The browser then loads the document, so
   * that nothing is shown that needs the cookie. Returns whether the response has ended.
   */
  endIfLate(): boolean
  /**
   * Sends the extras of the page.
   *
   * @param level Number of layouts around the page.
   * @param extras JSON from `serialize`.
   */
  sendExtras(level: number, extras: string): void
  /** Sends the headers and the collected lines. From then on each line is sent at once. */
  open(): void
  end(): void
  /**
   * Ends the open response in place of one that a load sends itself.
   *
   * @param payload What the load sends. It is dropped.
   */
  replace(payload: unknown): void
}
