// What the test command and its processes send each other. A command sends the path of a file, or this.

/** The message after the last file. */
export const END = ''

/** What a file has reported. */
export interface Report {
  /** The number of passed assertions, nested ones included. */
  passed: number
  /** What tap wrote. */
  tap: string
}
