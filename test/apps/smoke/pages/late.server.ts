export function load() {
  return { title: 'Late', late: new Promise<string>((resolve) => setTimeout(resolve, 200, 'here')) }
}
