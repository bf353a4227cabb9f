export interface Output {
  isTTY?: boolean
  /** The number of columns of a terminal. */
  columns?: number
  write(text: string): unknown
}

/** What a command writes to, and the environment that it reads and adds to: those of the process. */
export interface Terminal {
  stdout: Output
  stderr: Output
  env: NodeJS.ProcessEnv
}
