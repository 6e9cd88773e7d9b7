interface Storage {
  readonly read: (key: string) => string | null;
  /** @param value null: nothing */
  readonly write: (key: string, value: string | null) => void;
}

/** A storage of the browser's. Where the browser refuses it or it is full, what is written is known until the page is left. */
const storage = (kind: 'localStorage' | 'sessionStorage'): Storage => {
  const unkept = new Map<string, string | null>();
  return {
    read: (key) => {
      const value = unkept.get(key);
      if (value !== undefined) return value;
      try {
        return window[kind].getItem(key);
      } catch {
        return null;
      }
    },
    write: (key, value) => {
      unkept.delete(key);
      try {
        if (value === null) window[kind].removeItem(key);
        else window[kind].setItem(key, value);
      } catch {
        unkept.set(key, value);
      }
    },
  };
};

/** For this browser. */
export const lasting = storage('localStorage');

/** Gone with the tab. */
export const ofTheTab = storage('sessionStorage');
