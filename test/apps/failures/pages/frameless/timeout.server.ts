export async function load() {
  const signal = AbortSignal.timeout(1)
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}
