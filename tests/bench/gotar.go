// SPDX-License-Identifier: GPL-2.0-or-later

// gotar - what Go's archive/tar reads of an archive on standard input; for tests/bench/readers
//
// A line of JSON for each header: what the fields of tar.Header hold, and the records as they are.
// Names, targets, keys and values are in hexadecimal: they may hold any byte.  "data" is the sum of
// the content that manifest.c of tests/oracle has; files of more than 1 GiB have none.
package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"os"
	"time"
)

const (
	block   = 4096
	largest = 1 << 30
)

type member struct {
	Type    string            `json:"type"`
	Name    string            `json:"name"`
	Link    string            `json:"link"`
	Mode    int64             `json:"mode"`
	UID     int               `json:"uid"`
	GID     int               `json:"gid"`
	Size    int64             `json:"size"`
	Major   int64             `json:"major"`
	Minor   int64             `json:"minor"`
	Mtime   string            `json:"mtime"`
	Atime   string            `json:"atime"`
	Ctime   string            `json:"ctime"`
	Data    string            `json:"data"`
	Xattrs  map[string]string `json:"xattrs"`
	Records map[string]string `json:"records"`
}

// The sum of tests/oracle/judge.h.
type sum struct{ a, b uint64 }

func (s *sum) word(w uint64) {
	s.a = bits.RotateLeft64(s.a^(w*0x9E3779B185EBCA87), 31) * 0xC2B2AE3D27D4EB4F
	s.b = (bits.RotateLeft64(s.b, 23) + w) * 0xD6E8FEB86659FD93
}

func (s *sum) bytes(p []byte) {
	for ; len(p) >= 8; p = p[8:] {
		s.word(binary.LittleEndian.Uint64(p))
	}
	var rest [8]byte
	copy(rest[:], p)
	s.word(binary.LittleEndian.Uint64(rest[:]) ^ uint64(len(p))<<56)
}

func (s *sum) String() string {
	a := (s.a ^ s.a>>33) * 0xFF51AFD7ED558CCD
	b := (s.b ^ s.b>>31) * 0xC4CEB9FE1A85EC53
	return fmt.Sprintf("%016x%016x", a^a>>29, b^b>>32)
}

func content(r io.Reader) (string, error) {
	s := &sum{3, 4}
	piece, zeroes := make([]byte, block), make([]byte, block)
	for at := uint64(0); ; at += block {
		n, err := io.ReadFull(r, piece)
		if n > 0 && !bytes.Equal(piece[:n], zeroes[:n]) {
			s.word(at)
			s.bytes(piece[:n])
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return s.String(), nil
		default:
			return "", err
		}
	}
}

func text(s string) string {
	return hex.EncodeToString([]byte(s))
}

func texts(of map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range of {
		out[text(key)] = text(value)
	}
	return out
}

func seconds(t time.Time) string {
	if t.IsZero() {
		return "none"
	}
	return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond())
}

func read(r *tar.Reader, out *json.Encoder) error {
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		m := member{Type: string(rune(h.Typeflag)), Name: text(h.Name), Link: text(h.Linkname),
			Mode: h.Mode, UID: h.Uid, GID: h.Gid, Size: h.Size,
			Major: h.Devmajor, Minor: h.Devminor, Mtime: seconds(h.ModTime),
			Atime: seconds(h.AccessTime), Ctime: seconds(h.ChangeTime),
			Xattrs: texts(h.Xattrs), Records: texts(h.PAXRecords)}
		if h.Typeflag == tar.TypeReg && h.Size <= largest {
			if m.Data, err = content(r); err != nil {
				return fmt.Errorf("%q: %w", h.Name, err)
			}
		}
		if err := out.Encode(m); err != nil {
			return err
		}
	}
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := read(tar.NewReader(bufio.NewReader(os.Stdin)), json.NewEncoder(out))
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
