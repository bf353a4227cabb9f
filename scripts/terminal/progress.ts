interface Output {
  isTTY?: boolean
  write(text: string): unknown
}

/** Says what is going on: in one line that changes, or in a line for each step where lines cannot change. */
export interface Progress {
  step(name: string): void
  /** Takes the line away, so that what comes next has it. */
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
