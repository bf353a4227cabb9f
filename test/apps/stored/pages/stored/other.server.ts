let run = 0

export const cache = { maxAgeS: 60 }

export function load() {
  return { run: ++run, late: new Promise<string>((resolve) => setImmediate(resolve, 'late')) }
}
