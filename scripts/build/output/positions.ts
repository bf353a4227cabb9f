/** Creates a function that returns the line and the column of an offset. Both count from 0. */
export function createPositions(code: string): (offset: number) => [line: number, column: number] {
  const starts = [0]
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [line, end] = [0, starts.length]
    while (end - line > 1) {
      const middle = (line + end) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else end = middle
    }
    return [line, offset - (starts[line] ?? 0)]
  }
}
