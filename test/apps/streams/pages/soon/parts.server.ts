export function load() {
  return { soon: new Promise<string>((resolve) => setTimeout(resolve, 50, 'there')) }
}
