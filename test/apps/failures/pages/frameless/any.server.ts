export function load() {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new RangeError('a2')), 5))
  return Promise.any([fail('a1'), late])
}

async function fail(text: string) {
  throw new Error(text)
}
