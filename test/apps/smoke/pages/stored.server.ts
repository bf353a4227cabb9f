let runs = 0

export const cache = { maxAgeS: 60 }

export function load() {
  runs++
  return runs
}
