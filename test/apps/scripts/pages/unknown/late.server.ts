export const load = () => ({ later: new Promise<string>((done) => setTimeout(done, 300, 'late')) })
