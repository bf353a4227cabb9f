/** Returns a deferred promise that takes 50 ms. */
export function load() {
  return {
    slow: new Promise<{ message: string }>((resolve) => {
      setTimeout(resolve, 50, { message: 'slow data arrived' })
    }),
  }
}
