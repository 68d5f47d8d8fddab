// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small NTB client, to learn from: two hosts show each other a page of
 * memory, greet each other through it, and count the doorbells they hear.
 *
 * In /sys/kernel/debug/ntb_hello/DEVICE:
 *   say        what is written goes to the peer's page, and rings its doorbell
 *   heard      what the peer said last
 *   doorbells  how many were heard; two in quick succession may be one
 */

#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/ntb.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/utsname.h>
#include <linux/workqueue.h>

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("NTB clients that greet each other");

#define HELLO_PEER	0	/* the only one */
#define HELLO_WINDOW	0
#define HELLO_SPAD	0	/* the peer's: "my page is there for you" */
#define HELLO_DB	BIT_ULL(0)
#define HELLO_MAX	128	/* bytes of a text, with its end */

struct hello {
	struct ntb_dev *ntb;
	struct dentry *dir;
	struct work_struct work;
	struct mutex lock;	/* of all below, but for @doorbells */
	bool offered;		/* the peer can write to @page */
	bool greeted;
	char *page;		/* what the peer writes to */
	dma_addr_t page_dma;
	size_t page_size;
	void __iomem *window;	/* the peer's page */
	atomic_t doorbells;
};

static struct dentry *hello_dir;

/* Shows the peer our page, and tells it so. */
static int hello_offer(struct hello *h)
{
	resource_size_t addr_align, size_align, size_max;
	int ret;

	/* Known only while the link is up: the peer says what it can see. */
	ret = ntb_mw_get_align(h->ntb, HELLO_PEER, HELLO_WINDOW, &addr_align,
			       &size_align, &size_max);
	if (ret)
		return ret;

	if (!h->page) {
		h->page_size = round_up(PAGE_SIZE, size_align);
		if (h->page_size > size_max)
			return -ENOSPC;
		h->page = dma_alloc_coherent(&h->ntb->pdev->dev, h->page_size,
					     &h->page_dma, GFP_KERNEL);
		if (!h->page)
			return -ENOMEM;
	}
	if (!IS_ALIGNED(h->page_dma, addr_align))
		return -EINVAL;

	ret = ntb_mw_set_trans(h->ntb, HELLO_PEER, HELLO_WINDOW, h->page_dma,
			       h->page_size);
	if (ret)
		return ret;

	h->offered = true;
	ntb_peer_spad_write(h->ntb, HELLO_PEER, HELLO_SPAD, 1);
	return ntb_peer_db_set(h->ntb, HELLO_DB);
}

static int hello_say(struct hello *h, const char *text)
{
	if (!ntb_spad_read(h->ntb, HELLO_SPAD))
		return -ENOTCONN;

	memcpy_toio(h->window, text, strlen(text) + 1);
	/* The text before the doorbell. */
	wmb();
	return ntb_peer_db_set(h->ntb, HELLO_DB);
}

static void hello_work(struct work_struct *work)
{
	struct hello *h = container_of(work, struct hello, work);
	char text[HELLO_MAX];
	int ret;

	guard(mutex)(&h->lock);

	if (!ntb_link_is_up(h->ntb, NULL, NULL)) {
		/* A peer that comes back has forgotten where our page is. */
		h->offered = false;
		h->greeted = false;
		return;
	}

	if (!h->offered) {
		ret = hello_offer(h);
		if (ret) {
			/* The peer's doorbells bring us here, too. */
			dev_err_ratelimited(&h->ntb->dev,
					    "no page for the peer: %d\n", ret);
			return;
		}
	}

	if (!h->greeted) {
		scnprintf(text, sizeof(text), "hello from %s",
			  init_utsname()->nodename);
		h->greeted = hello_say(h, text) == 0;
	}
}

/* Neither of these two may sleep: the work does what takes time. */
static void hello_link_event(void *ctx)
{
	struct hello *h = ctx;

	/* Not in the work, which may come after the peer's next offer. */
	if (!ntb_link_is_up(h->ntb, NULL, NULL))
		ntb_spad_write(h->ntb, HELLO_SPAD, 0);
	schedule_work(&h->work);
}

static void hello_db_event(void *ctx, int vector)
{
	struct hello *h = ctx;

	if (!(ntb_db_read(h->ntb) & HELLO_DB))
		return;
	ntb_db_clear(h->ntb, HELLO_DB);
	atomic_inc(&h->doorbells);
	schedule_work(&h->work);
}

static const struct ntb_ctx_ops hello_ops = {
	.link_event = hello_link_event,
	.db_event = hello_db_event,
};

static int heard_show(struct seq_file *s, void *unused)
{
	struct hello *h = s->private;

	guard(mutex)(&h->lock);
	if (!h->page)
		return -ENOTCONN;
	/* The peer may write at any moment: do not trust it to end a text. */
	seq_printf(s, "%.*s\n", HELLO_MAX - 1, h->page);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(heard);

static ssize_t say_write(struct file *file, const char __user *from,
			 size_t size, loff_t *offset)
{
	struct hello *h = file->private_data;
	char text[HELLO_MAX] = "";

	if (size >= sizeof(text))
		return -EMSGSIZE;
	if (copy_from_user(text, from, size))
		return -EFAULT;

	guard(mutex)(&h->lock);
	return hello_say(h, strim(text)) ?: size;
}

static const struct file_operations say_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = say_write,
};

static int hello_probe(struct ntb_client *client, struct ntb_dev *ntb)
{
	phys_addr_t base;
	resource_size_t size;
	struct hello *h;
	int ret;

	if (ntb_peer_port_count(ntb) != 1 || ntb_peer_mw_count(ntb) < 1 ||
	    ntb_spad_count(ntb) < 1 || !(ntb_db_valid_mask(ntb) & HELLO_DB)) {
		dev_err(&ntb->dev, "needs one peer, a window, a scratchpad and a doorbell\n");
		return -EINVAL;
	}

	h = kzalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	h->ntb = ntb;
	INIT_WORK(&h->work, hello_work);
	mutex_init(&h->lock);

	ret = ntb_peer_mw_get_addr(ntb, HELLO_WINDOW, &base, &size);
	if (ret)
		goto free;
	h->window = ioremap_wc(base, min_t(resource_size_t, size, PAGE_SIZE));
	if (!h->window) {
		ret = -ENOMEM;
		goto free;
	}

	ret = ntb_set_ctx(ntb, h, &hello_ops);
	if (ret)
		goto unmap;

	ntb_spad_write(ntb, HELLO_SPAD, 0);
	ntb_db_clear_mask(ntb, HELLO_DB);
	ntb_link_enable(ntb, NTB_SPEED_AUTO, NTB_WIDTH_AUTO);

	h->dir = debugfs_create_dir(pci_name(ntb->pdev), hello_dir);
	debugfs_create_file("say", 0200, h->dir, h, &say_fops);
	debugfs_create_file("heard", 0400, h->dir, h, &heard_fops);
	debugfs_create_atomic_t("doorbells", 0400, h->dir, &h->doorbells);
	return 0;

unmap:
	iounmap(h->window);
free:
	kfree(h);
	return ret;
}

static void hello_remove(struct ntb_client *client, struct ntb_dev *ntb)
{
	struct hello *h = ntb->ctx;

	debugfs_remove_recursive(h->dir);
	ntb_db_set_mask(ntb, HELLO_DB);
	ntb_link_disable(ntb);
	ntb_clear_ctx(ntb);
	cancel_work_sync(&h->work);

	if (h->page) {
		/* First nobody may write there any more. */
		ntb_mw_clear_trans(ntb, HELLO_PEER, HELLO_WINDOW);
		dma_free_coherent(&ntb->pdev->dev, h->page_size, h->page,
				  h->page_dma);
	}
	iounmap(h->window);
	kfree(h);
}

static struct ntb_client hello_client = {
	.ops = {
		.probe = hello_probe,
		.remove = hello_remove,
	},
};

static int __init hello_init(void)
{
	int ret;

	hello_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	ret = ntb_register_client(&hello_client);
	if (ret)
		debugfs_remove_recursive(hello_dir);
	return ret;
}
module_init(hello_init);

static void __exit hello_exit(void)
{
	ntb_unregister_client(&hello_client);
	debugfs_remove_recursive(hello_dir);
}
module_exit(hello_exit);
