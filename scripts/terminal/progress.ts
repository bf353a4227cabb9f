import type { Output } from './terminal.ts'

/** Shows the current step: in one line that changes on a terminal, otherwise in a line for each step. */
export interface Progress {
  /** @param done How much of the step is done, which is shown on a terminal only. */
  step(name: string, done?: string): void
  /** Erases the line. */
  end(): void
}

export function createProgress(output: Output, title: string): Progress {
  if (!output.isTTY)
    return { step: (name, done) => void (done === undefined && output.write(`${title}: ${name}\n`)), end() {} }
  const eraseLine = '\r\u001b[2K'
  return {
    step: (name, done) => output.write(`${eraseLine}${title}: ${name}${done === undefined ? '' : `, ${done}`}…`),
    end: () => output.write(eraseLine),
  }
}
