/** The test, which runs in the same process, finishes the text. */
export const load = () => ({ text: new Promise<string>((resolve) => Object.assign(globalThis, { finish: resolve })) })
