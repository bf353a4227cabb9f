let times = 0

export const action = () => ++times
