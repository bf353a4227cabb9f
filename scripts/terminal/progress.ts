interface Output {
  isTTY?: boolean
  write(text: string): unknown
}

/** Shows the current step: in one line that changes on a terminal, otherwise in a line for each step. */
export interface Progress {
  step(name: string): void
  /** Erases the line. */
  end(): void
}

export function createProgress(output: Output, title: string): Progress {
  if (!output.isTTY) return { step: (name) => output.write(`${title}: ${name}\n`), end() {} }
  const eraseLine = '\r\u001b[2K'
  return {
    step: (name) => output.write(`${eraseLine}${title}: ${name}…`),
    end: () => output.write(eraseLine),
  }
}
