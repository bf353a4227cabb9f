import type { NavigationLine } from '../../shared/wire/navigation-protocol.ts'
import type { PageResponse } from './response.ts'

/** The response to a navigation while it is made: a list of lines, each one JSON. */
export interface NavigationLines {
  /** True once the response has begun: each line then goes out at once. */
  readonly isOpen: boolean
  add(line: NavigationLine): void
  /** Adds a line that is JSON already. */
  addText(line: string): void
  /** Ends the lines. Returns the response; null if it has begun. */
  end(given?: Partial<PageResponse>): PageResponse | null
  /**
   * Ends the open response in place of one that a load sends itself.
   *
   * @param payload What the load sends. It is dropped.
   */
  replace(payload: unknown): void
}
