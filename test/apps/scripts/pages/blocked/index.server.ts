let loads = 0

export const load = () => ({ loads: ++loads })
